# Sets $python to a Python that is new enough. Read by the scripts beside it.
for python in python3 python3.14 python3.13 python3.12 python3.11 python; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
    python=
done
if [ -z "$python" ]; then
    echo "jarvis: Python 3.11 or newer is not installed." >&2
    echo "  hint: Install it, for example: apt install python3 python3-venv" >&2
    exit 78
fi
