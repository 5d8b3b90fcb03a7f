"""Run a rank's script; where it has used torch, leave before Python takes itself apart.

After the last all-reduce a thread of gloo may still hold its tensors. If it lets go of one while Python is at its
end, it asks for Python's lock, is told to exit, and takes the process with it: SIGABRT, one run in four on a busy
machine with torch 2.11 (https://github.com/pytorch/pytorch/issues/190489, read in November 2026). Without torch the
end stays Python's own: MXNet's store says goodbye to its servers there.
"""

import atexit
import os
import runpy
import sys

ended = False


@atexit.register  # the first one registered is the last one called
def leave():
    if ended and "torch" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))  # as if Python had been given the script itself
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
        ended = True
    except SystemExit as end:
        ended = not end.code
        raise
