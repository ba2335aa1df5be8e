/**
 * Files that Windows executes, installs or applies when they are opened: programs, scripts, links to any of them, and files that change the system.
 * By the endings that Windows considers dangerous (AssocIsDangerous), and later findings.
 * https://learn.microsoft.com/windows/win32/api/shlwapi/nf-shlwapi-associsdangerous
 */
const endings = new Set(
  [
    'accda accde accdr accdu ade adp ahk app appinstaller application appref-ms appx appxbundle asp bas bat chm cmd com cpl crt csh deskthemepack diagcab dll exe fxp gadget',
    'grp hlp hta htc inf ins iso isp its jar jnlp job js jse ksh library-ms lnk mad maf mag mam maq mar mas mat mau mav maw mcf mda',
    'mdb mde mdt mdw mdz msc msh msh1 msh1xml msh2 msh2xml mshxml msi msix msixbundle msp mst msu ops osd pcd pif pl plg prf prg',
    'printerexport ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psdm1 psm1 pst py pyc pyo pyw pyz pyzw rb rbw rdp reg scf scr sct search-ms searchconnector-ms',
    'settingcontent-ms sh shb shs tcl theme themepack tmp url vb vbe vbp vbs vhd vhdx vsmacros vsw webpnp website ws wsb wsc wsf wsh xbap xll xnk',
  ]
    .join(' ')
    .split(' '),
);

/** Windows drops dots and blanks at the end of a name, and a stream of a file is the file. */
export function startsWhenOpened(file: string): boolean {
  const [name = ''] = (file.split(/[\\/]/).at(-1) ?? '').split(':');
  const [, ending] = /\.([^.]+)$/.exec(name.replace(/[. ]+$/, '').toLowerCase()) ?? [];
  return ending !== undefined && endings.has(ending);
}
