; The installer for Windows. scripts/package/installer.ts runs makensis in a folder with contents.nsh, which defines VERSION, NUMBERS, ARCHITECTURE,
; SIZE and the macros ADD_FILES and REMOVE_FILES. Options: docs/windows.md.
; Windows on ARM runs this program for x64 as well; what it installs is native.
Unicode true
Target amd64-unicode
!include contents.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include MUI2.nsh
!include nsDialogs.nsh
!include Sections.nsh
!include WinVer.nsh
!include x64.nsh

Name "Hostler"
OutFile hostler-setup.exe
RequestExecutionLevel user
ManifestDPIAware true
BrandingText "Hostler ${VERSION}"
ShowInstDetails show
ShowUninstDetails show
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Hostler"
VIProductVersion "${NUMBERS}"
VIFileVersion "${NUMBERS}"
VIAddVersionKey CompanyName "Hostler"
VIAddVersionKey FileDescription "Hostler installer"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey LegalCopyright "MIT licence"
VIAddVersionKey ProductName "Hostler"
VIAddVersionKey ProductVersion "${VERSION}"

!define MUI_ICON hostler.ico
!define MUI_UNICON hostler.ico
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Open the dashboard"
!define MUI_FINISHPAGE_RUN_FUNCTION openDashboard
Page custom choosePage choosePageLeft
!insertmacro MUI_PAGE_COMPONENTS
!define MUI_PAGE_CUSTOMFUNCTION_PRE directoryPage
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English

Var isForAll
Var forAllButton
Var wasRunning
Var startedAtLogin

; ---- Parts of both programs

!macro FAIL MESSAGE
  MessageBox MB_OK|MB_ICONSTOP "${MESSAGE}" /SD IDOK
  SetErrorLevel 2
  Quit
!macroend

!macro HAS_OPTION RESULT OPTION
  ${GetParameters} $R0
  ClearErrors
  ${GetOptions} $R0 "${OPTION}" $R0
  StrCpy ${RESULT} 1
  ${If} ${Errors}
    StrCpy ${RESULT} 0
  ${EndIf}
!macroend

!macro USE_FOLDERS_OF_MODE
  SetShellVarContext current
  ${If} $isForAll = 1
    SetShellVarContext all
  ${EndIf}
!macroend

; A program that still runs, such as one started by an agent, keeps running from the folder for temporary files.
!macro RELEASE NAME
  ClearErrors
  Delete "$INSTDIR\${NAME}"
  ${If} ${Errors}
    GetTempFileName $R1
    Delete $R1
    Rename "$INSTDIR\${NAME}" "$R1"
    Delete /REBOOTOK "$R1"
  ${EndIf}
!macroend

!macro WAIT_UNTIL_FREE NAME
  ${For} $R1 1 75
    ${IfNot} ${FileExists} "$INSTDIR\${NAME}"
      ${Break}
    ${EndIf}
    ClearErrors
    FileOpen $R2 "$INSTDIR\${NAME}" a
    ${IfNot} ${Errors}
      FileClose $R2
      ${Break}
    ${EndIf}
    Sleep 200
  ${Next}
!macroend

!define FIREWALL 'advfirewall firewall'

; PATH may be longer than a string of NSIS, so it is changed in a buffer: $R3 its place, $R4 where our folder is in it or 0, $R5 its bytes.
!define OWN ";$INSTDIR\"
!macro OPEN_PATH
  ${If} $isForAll = 1
    StrCpy $R1 0x80000002
    StrCpy $R2 "SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
  ${Else}
    StrCpy $R1 0x80000001
    StrCpy $R2 "Environment"
  ${EndIf}
  StrCpy $R5 0
  ; RRF_RT_REG_SZ, RRF_RT_REG_EXPAND_SZ, RRF_NOEXPAND
  System::Call 'advapi32::RegGetValueW(p R1, w R2, w "Path", i 0x10000006, p 0, p 0, *i R5R5) i .R0'
  IntOp $R6 $R5 + 4096
  System::Alloc $R6
  Pop $R3
  ; ERROR_FILE_NOT_FOUND: there is none yet.
  ${If} $R0 = 0
    System::Call 'advapi32::RegGetValueW(p R1, w R2, w "Path", i 0x10000006, p 0, p R3, *i R5R5) i .R0'
  ${ElseIf} $R0 = 2
    System::Call 'kernel32::RtlZeroMemory(p R3, p 2)'
    StrCpy $R0 0
  ${EndIf}
  System::Call 'shlwapi::StrStrIW(p R3, w "${OWN}") p .R4'
!macroend

!macro CLOSE_PATH
  System::Call 'kernel32::lstrlenW(p R3) i .R5'
  IntOp $R5 $R5 * 2
  IntOp $R5 $R5 + 2
  ; REG_EXPAND_SZ
  System::Call 'advapi32::RegSetKeyValueW(p R1, w R2, w "Path", i 2, p R3, i R5) i .R0'
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
!macroend

; ---- Installing

Function .onInit
  ${IfNot} ${AtLeastWin10}
    !insertmacro FAIL "Hostler needs Windows 10 or later."
  ${EndIf}
  !if ${ARCHITECTURE} == arm64
    ${IfNot} ${IsNativeARM64}
      !insertmacro FAIL "This installer is for 64-bit ARM; use the one for x64."
    ${EndIf}
  !endif
  !insertmacro HAS_OPTION $isForAll "/AllUsers"
  !insertmacro HAS_OPTION $R1 "/NoAutostart"
  ${If} $R1 = 1
    !insertmacro UnselectSection 1
  ${EndIf}
  !insertmacro HAS_OPTION $R1 "/Firewall"
  ${If} $R1 = 1
    !insertmacro SelectSection 2
  ${EndIf}
  UserInfo::GetAccountType
  Pop $R1
  ${If} $isForAll = 1
  ${AndIf} $R1 != "Admin"
    ${If} ${Silent}
      ; ERROR_ELEVATION_REQUIRED
      SetErrorLevel 740
    ${Else}
      ExecShell runas "$EXEPATH" "/AllUsers"
    ${EndIf}
    Quit
  ${EndIf}
  !insertmacro USE_FOLDERS_OF_MODE
  ReadRegStr $R1 SHCTX "${KEY}" InstallLocation
  ${If} $INSTDIR == ""
    StrCpy $INSTDIR $R1
  ${EndIf}
  ${If} $INSTDIR == ""
    StrCpy $INSTDIR "$LOCALAPPDATA\Programs\Hostler"
    ${If} $isForAll = 1
      StrCpy $INSTDIR "$PROGRAMFILES64\Hostler"
    ${EndIf}
  ${EndIf}
  ; In another folder every user could replace a program that others, and this installer as administrator, start.
  ${If} $isForAll = 1
    System::Call 'kernel32::GetFullPathNameW(w "$INSTDIR", i ${NSIS_MAX_STRLEN}, w .R1, p 0)'
    StrLen $R2 "$PROGRAMFILES64\"
    StrCpy $R1 $R1 $R2
    ${If} $R1 != "$PROGRAMFILES64\"
      !insertmacro FAIL "For all users, Hostler can be installed below $PROGRAMFILES64 only."
    ${EndIf}
  ${EndIf}
  ; An update changes nothing about the start at login.
  ${If} ${FileExists} "$INSTDIR\hostler.exe"
    nsExec::ExecToStack '"$INSTDIR\hostler.exe" settings get autostart'
    Pop $R1
    Pop $R2
    StrCpy $R2 $R2 5
    ${If} $R1 = 0
    ${AndIf} $R2 == "false"
      !insertmacro UnselectSection 1
    ${EndIf}
  ${EndIf}
FunctionEnd

Function directoryPage
  ${If} $isForAll = 1
    Abort
  ${EndIf}
FunctionEnd

Function choosePage
  ${If} $isForAll = 1
    Abort
  ${EndIf}
  !insertmacro MUI_HEADER_TEXT "Hostler ${VERSION}" "Choose who can use it."
  nsDialogs::Create 1018
  Pop $R0
  ${NSD_CreateRadioButton} 0 0 100% 14u "Install for me only"
  Pop $R0
  ${NSD_Check} $R0
  ${NSD_CreateRadioButton} 0 18u 100% 14u "Install for all users of this computer (as administrator)"
  Pop $forAllButton
  nsDialogs::Show
FunctionEnd

Function choosePageLeft
  ${NSD_GetState} $forAllButton $R0
  ${If} $R0 = ${BST_CHECKED}
    ClearErrors
    ExecShell runas "$EXEPATH" "/AllUsers"
    ${If} ${Errors}
      Abort
    ${EndIf}
    Quit
  ${EndIf}
FunctionEnd

Function openDashboard
  ; Explorer starts it without the rights of an administrator.
  Exec '"$WINDIR\explorer.exe" "$INSTDIR\hostler.exe"'
FunctionEnd

Section "Hostler"
  SectionIn RO
  StrCpy $wasRunning 0
  ${If} ${FileExists} "$INSTDIR\hostler.exe"
    nsExec::ExecToStack '"$INSTDIR\hostler.exe" do application.exit'
    Pop $R1
    Pop $R2
    ${If} $R1 = 0
      StrCpy $wasRunning 1
      DetailPrint "Hostler was stopped"
    ${EndIf}
    !insertmacro WAIT_UNTIL_FREE hostler.exe
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\uninstall.exe"
    ExecWait '"$INSTDIR\uninstall.exe" /S /Update _?=$INSTDIR'
  ${EndIf}
  !insertmacro RELEASE hostler.exe
  ClearErrors
  !insertmacro ADD_FILES
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ${If} ${Errors}
    SetErrorLevel 2
    Abort "Files in $INSTDIR cannot be written"
  ${EndIf}
  CreateShortCut "$SMPROGRAMS\Hostler.lnk" "$INSTDIR\hostler.exe"
  WriteRegStr SHCTX "${KEY}" DisplayName "Hostler"
  WriteRegStr SHCTX "${KEY}" DisplayVersion "${VERSION}"
  WriteRegStr SHCTX "${KEY}" DisplayIcon "$INSTDIR\hostler.exe"
  WriteRegStr SHCTX "${KEY}" Publisher "The Hostler authors"
  WriteRegStr SHCTX "${KEY}" InstallLocation "$INSTDIR"
  WriteRegStr SHCTX "${KEY}" UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr SHCTX "${KEY}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD SHCTX "${KEY}" EstimatedSize ${SIZE}
  WriteRegDWORD SHCTX "${KEY}" NoModify 1
  WriteRegDWORD SHCTX "${KEY}" NoRepair 1
  !insertmacro OPEN_PATH
  ${If} $R0 = 0
  ${AndIf} $R4 P= 0
    System::Call 'kernel32::lstrcatW(p R3, w "${OWN}")'
    !insertmacro CLOSE_PATH
  ${EndIf}
  System::Free $R3
SectionEnd

Section "Start it now and at every login"
  StrCpy $startedAtLogin 1
  nsExec::ExecToLog '"$INSTDIR\hostler.exe" service install'
  Pop $R0
SectionEnd

Section /o "Let devices on private networks connect (firewall)"
  ExecShellWait runas "$SYSDIR\netsh.exe" '${FIREWALL} add rule name=Hostler dir=in action=allow profile=private program="$INSTDIR\hostler.exe"' SW_HIDE
  WriteRegDWORD SHCTX "${KEY}" FirewallRule 1
SectionEnd

Section
  ${If} $wasRunning = 1
  ${AndIf} $startedAtLogin != 1
    nsExec::ExecToLog '"$INSTDIR\hostler.exe" service restart'
    Pop $R0
  ${EndIf}
SectionEnd

; ---- Removing

Function un.onInit
  StrCpy $isForAll 0
  ReadRegStr $R1 HKLM "${KEY}" InstallLocation
  ${If} $R1 == $INSTDIR
    StrCpy $isForAll 1
    UserInfo::GetAccountType
    Pop $R1
    ${If} $R1 != "Admin"
      ${GetParameters} $R0
      ExecShell runas "$INSTDIR\uninstall.exe" "$R0"
      Quit
    ${EndIf}
  ${EndIf}
  !insertmacro USE_FOLDERS_OF_MODE
FunctionEnd

Section Uninstall
  !insertmacro HAS_OPTION $R7 "/Update"
  ${If} $R7 = 0
    !insertmacro HAS_OPTION $R8 "/Purge"
    ${If} $R8 = 0
      MessageBox MB_YESNO|MB_DEFBUTTON2 "Delete your settings, tokens and history as well?" /SD IDNO IDNO +2
      StrCpy $R8 1
    ${EndIf}
    StrCpy $R9 ""
    ${If} $R8 = 1
      StrCpy $R9 " --purge"
    ${EndIf}
    nsExec::ExecToLog '"$INSTDIR\hostler.exe" service remove$R9'
    Pop $R0
    !insertmacro WAIT_UNTIL_FREE hostler.exe
    ReadRegDWORD $R0 SHCTX "${KEY}" FirewallRule
    ${If} $R0 = 1
      ExecShellWait runas "$SYSDIR\netsh.exe" '${FIREWALL} delete rule name=Hostler' SW_HIDE
    ${EndIf}
    Delete "$SMPROGRAMS\Hostler.lnk"
    DeleteRegKey SHCTX "${KEY}"
    !insertmacro OPEN_PATH
    ${If} $R0 = 0
    ${AndIf} $R4 P<> 0
      StrLen $R6 "${OWN}"
      IntOp $R6 $R6 * 2
      IntPtrOp $R7 $R4 + $R6
      System::Call 'kernel32::lstrlenW(p R7) i .R5'
      IntOp $R5 $R5 * 2
      IntOp $R5 $R5 + 2
      System::Call 'kernel32::RtlMoveMemory(p R4, p R7, p R5)'
      !insertmacro CLOSE_PATH
      ; An empty one was ours alone.
      ${If} $R5 = 2
      ${AndIf} $isForAll = 0
        DeleteRegValue HKCU "Environment" "Path"
      ${EndIf}
    ${EndIf}
    System::Free $R3
  ${EndIf}
  !insertmacro RELEASE hostler.exe
  Delete "$INSTDIR\uninstall.exe"
  !insertmacro REMOVE_FILES
  RMDir "$INSTDIR"
SectionEnd
