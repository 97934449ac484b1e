"""List well-known programs with their makers' sites, written by hand.

These names mean nothing but the program: whoever asks for one that is not installed is told so at once,
without a model that would have to find it out. Names that are words, or sites as well, are left out.
"""

from __future__ import annotations

# As in sites.py: an address without its scheme, then the name to show, then others in lower case.
_PROGRAMS = """
www.gimp.org|GIMP|gimp|gnu image manipulation program|
inkscape.org|Inkscape|inkscape|
krita.org|Krita|krita|
www.blender.org|Blender|blender|
www.darktable.org|darktable|darktable|
rawtherapee.com|RawTherapee|rawtherapee|
www.videolan.org|VLC|vlc|vlc media player|
mpv.io|mpv|mpv|
kodi.tv|Kodi|kodi|
www.audacityteam.org|Audacity|audacity|
ardour.org|Ardour|ardour|
lmms.io|LMMS|lmms|
kdenlive.org|Kdenlive|kdenlive|
shotcut.org|Shotcut|shotcut|
handbrake.fr|HandBrake|handbrake|
obsproject.com|OBS Studio|obs studio|obs|
www.libreoffice.org|LibreOffice|libreoffice|libre office|libreoffice writer|libreoffice calc|
www.openoffice.org|OpenOffice|openoffice|open office|
calibre-ebook.com|calibre|calibre|
okular.kde.org|Okular|okular|
www.zotero.org|Zotero|zotero|
apps.ankiweb.net|Anki|anki|
obsidian.md|Obsidian|obsidian|
www.thunderbird.net|Thunderbird|thunderbird|
www.firefox.com|Firefox|firefox|
www.google.com/chrome|Google Chrome|google chrome|chrome|
www.chromium.org|Chromium|chromium|
vivaldi.com|Vivaldi|vivaldi|
www.torproject.org|Tor Browser|tor browser|
www.keepassxc.org|KeePassXC|keepassxc|
www.qbittorrent.org|qBittorrent|qbittorrent|
filezilla-project.org|FileZilla|filezilla|
www.wireshark.org|Wireshark|wireshark|
www.virtualbox.org|VirtualBox|virtualbox|virtual box|
lutris.net|Lutris|lutris|
www.freecad.org|FreeCAD|freecad|
www.kicad.org|KiCad|kicad|
openscad.org|OpenSCAD|openscad|
godotengine.org|Godot|godot|
code.visualstudio.com|Visual Studio Code|visual studio code|vs code|vscode|
vscodium.com|VSCodium|vscodium|
www.sublimetext.com|Sublime Text|sublime text|
www.jetbrains.com/pycharm|PyCharm|pycharm|
www.jetbrains.com/idea|IntelliJ IDEA|intellij idea|intellij|
developer.android.com/studio|Android Studio|android studio|
www.gnu.org/software/emacs|Emacs|emacs|gnu emacs|
neovim.io|Neovim|neovim|nvim|
www.vim.org|Vim|vim|gvim|
notepad-plus-plus.org|Notepad++|notepad++|notepad plus plus|
dbeaver.io|DBeaver|dbeaver|
"""


def program(name: str) -> tuple[str, str]:
    """Return the program of that *name*, in lower case, as (what to call it, its maker's address).

    Both are empty where none is known.
    """
    at = _PROGRAMS.find(f"|{name}|") if name else -1
    if at < 0:
        return "", ""
    start = _PROGRAMS.rfind("\n", 0, at) + 1
    address, title = _PROGRAMS[start : _PROGRAMS.index("\n", at)].split("|")[:2]
    return title, f"https://{address}"


def programs() -> list[tuple[str, str, list[str]]]:
    """Return every program as (what to call it, its maker's address, its names)."""
    rows = [row.split("|")[:-1] for row in _PROGRAMS.strip().split("\n")]
    return [(title, f"https://{address}", names) for address, title, *names in rows]
