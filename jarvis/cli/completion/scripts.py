"""The scripts that make a shell complete jarvis: they ask `jarvis --complete` for each word."""

from __future__ import annotations

# By this a file is known as ours.
OURS = "# Completes what is typed after jarvis, by what `jarvis --complete` says."

# Signs that quote are taken out of the words: nothing that is completed has any.
_BASH = f"""{OURS}
_jarvis() {{
    local line word here=${{COMP_WORDS[COMP_CWORD]}} words=()
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD}}"; do
        words+=("${{word//[\\\\\\"\\']/}}")
    done
    COMPREPLY=()
    while IFS= read -r line; do
        word=${{line%%$'\\t'*}}
        if [[ $word == :files ]]; then
            compopt -o default
        elif [[ $here == [\\"\\']* ]]; then
            COMPREPLY+=("$word")
        else
            COMPREPLY+=("$(printf %q "$word")")
        fi
    done < <("${{COMP_WORDS[0]/#~\\//$HOME/}}" --complete bash "${{words[@]}}" 2>/dev/null </dev/null)
}}
complete -F _jarvis jarvis
"""

_ZSH = f"""#compdef jarvis
{OURS}
_jarvis() {{
    local line files=
    local -a found told
    for line in "${{(@f)$("${{(Q)words[1]/#\\~\\//$HOME/}}" --complete zsh "${{(@Q)words[2,CURRENT]}}" \\
        2>/dev/null </dev/null)}}"; do
        if [[ $line == :files* ]]; then
            files=1
        elif [[ -n $line ]]; then
            found+=("${{line%%$'\\t'*}}")
            told+=("${{${{line%%$'\\t'*}}}}  ${{line#*$'\\t'}}")
        fi
    done
    (( $#found )) && compadd -V jarvis -l -d told -a found
    [[ -n $files ]] && _files
    return 0
}}
if [[ $funcstack[1] == _jarvis ]]; then
    _jarvis "$@"
else
    compdef _jarvis jarvis
fi
"""

_FISH = f"""{OURS}
function __jarvis_complete
    set -l words (commandline -opc)
    set -l here (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in ($program --complete fish $words[2..-1] "$here" 2>/dev/null </dev/null)
        if string match -q ':files*' -- $line
            __fish_complete_path "$here"
        else
            echo $line
        end
    end
end
complete -c jarvis -f -a '(__jarvis_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
