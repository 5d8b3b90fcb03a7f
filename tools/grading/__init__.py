"""`make grade`: submissions are run in a sandbox and judged outside of it.

    notebook.py   which cell of a submission answers which exercise, whatever a platform or an editor did to the file
    sandbox.py    the walls: bubblewrap, limits, and the one pipe through them
    probe.py      tries to climb each wall, before the first submission
    wire.py       what goes through the pipe: plain values and arrays, never pickle
    worker.py     inside: runs the cells, answers calls
    judge.py      outside: runs the hidden tests, with stand-ins for the student's functions, and gives the points
    run.py        many submissions: two at a time, kept after each, taken up again after a kill
"""
