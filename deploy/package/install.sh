#!/bin/sh
# Installs Hostler from this directory, and removes it again:
#   ./install.sh                 for all users (as root, below /usr/local) or for you alone (below ~/.local)
#   ./install.sh --prefix DIR    below another directory
#   ./install.sh --remove        undoes it; settings and tokens stay ("hostler service remove --purge" removes them first)
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
remove=
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?--prefix needs a directory}; shift ;;
    --remove) remove=yes ;;
    *) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
cd "$here"
if [ -n "$remove" ]; then
  find bin share -type f | while IFS= read -r file; do rm -f -- "$prefix/$file"; done
  find bin share -depth -type d | while IFS= read -r directory; do
    case $directory in *hostler*) rmdir -- "$prefix/$directory" 2> /dev/null || : ;; esac
  done
  echo "Hostler was removed from $prefix"
  exit
fi
find bin share -type f | while IFS= read -r file; do
  mkdir -p -- "$prefix/$(dirname -- "$file")"
  # Replaced as a whole: one that runs goes on with the old file.
  cp -- "$file" "$prefix/$file.new"
  if [ "$file" = bin/hostler ]; then chmod 755 -- "$prefix/$file.new"; else chmod 644 -- "$prefix/$file.new"; fi
  mv -f -- "$prefix/$file.new" "$prefix/$file"
done
echo "Hostler was installed below $prefix. Start it now and whenever you log in:"
echo "  $prefix/bin/hostler service install"
