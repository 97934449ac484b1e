"""A desktop that does nothing, with the apps that the requests of `scripts/bench asks` ask for."""

from __future__ import annotations

from jarvis.core.types import AppsFound
from jarvis.desktop.apps import App, apps_found
from jarvis.language.sites import site
from tests.house import RecordingDesktop

# What the menu calls it · what it is, as its entry says · both in other languages · how it is misspelt.
_APPS = """
Firefox | Web Browser | ファイアフォックス | fierfox
Chromium | Web Browser | |
Thunderbird | Mail Client | | thunderbrid
Calculator | | Taschenrechner, Calculatrice, Calculadora, Calcolatrice, Rekenmachine, Kalkulator, \
Hesap Makinesi, 電卓, Калькулятор | calcualtor, taschenrechnr, calculatice, calcualdora
Terminal | Terminal Emulator | Терминал | termnial
Files | File Manager | Файлы, Gestionnaire de fichiers, Gestor de archivos, Gerenciador de arquivos |
Text Editor | | Éditeur de texte, Editor de texto, Teksteditor |
Settings | | Einstellungen, Impostazioni, Instellingen, 設定, Настройки |
GIMP | Image Editor | |
Krita | | |
Inkscape | | | inkscpae
Blender | | | blendr
VLC | | |
Spotify | | |
Slack | | |
Discord | | |
Zoom | | |
Steam | | |
Minetest | | |
Audacity | | |
Zotero | | |
Visual Studio Code | | | vs code
LibreOffice | | | libre office, libre ofice
LibreOffice Writer | | |
LibreOffice Calc | | |
Calendar | | |
Notes | | |
Sound Recorder | | |
System Monitor | | |
"""


class _Row:
    def __init__(self, line: str) -> None:
        title, generic, others, misspelt = (column.strip() for column in line.split("|"))
        translations = tuple(filter(None, others.split(", ")))
        id_ = title.lower().replace(" ", "-")
        self.app = App(
            *(id_, f"/apps/{id_}.desktop", (title,), (generic,) if generic else ()),
            translations=translations,
            generic_translations=translations,
        )
        self.spelt = {name.casefold() for name in (title, generic, *translations, *misspelt.split(", "))}


_ROWS = [_Row(line) for line in _APPS.strip().splitlines()]


class BenchDesktop(RecordingDesktop):
    """Implements actions.base.Desktop."""

    def find_apps(self, name: str) -> AppsFound:
        return apps_found(name, [row.app for row in _ROWS])


def meant_by(name: str) -> str:
    """The id of the app that somebody means who says *name*, by hand; empty: there is none such."""
    return next((row.app.key for row in _ROWS if name.casefold() in row.spelt), "")


def named_twice() -> list[tuple[str, str]]:
    """The names that a known site has as well, with the app's id: once it is asked which one is meant."""
    named = [(row.app.name.casefold(), row.app.key) for row in _ROWS]
    return [(name, key) for name, key in named if site(name)]
