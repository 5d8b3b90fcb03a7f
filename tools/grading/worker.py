"""Inside the sandbox: runs the cells of one submission and answers calls of its functions over one pipe.

Nothing here is trusted by the judge: a student's code shares this process, and can do with it what it likes. It
knows no test, no expected value and no seed. A request is one of

    ["run", name, source]         execute a cell           ["call", function, arguments, named arguments]
    ["get", name]                 a plain variable

and its answer ["done", value] or ["error", [names of the exception's classes], text, line]. Both bear a number.
"""
import builtins
import json
import linecache
import os
import random
import resource
import sys
import traceback
import types

import wire


def limited(limits):
    """Set from inside, so that they count in this sandbox and not among the other processes of the user."""
    for name, limit in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (limit, limit))


def the_pipe():
    """Standard input and output become the pipe, and for everything else they lead nowhere."""
    reading, writing, nowhere = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    return reading, writing


def same_chances():
    """A cell that draws random numbers draws the same ones each time it is run."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def run(space, name, source):
    name = f"<{name}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)  # torch.compile and inspect read it
    same_chances()
    exec(compile(source, name, "exec"), space)


def answer(space, request):
    kind, name, *rest = request
    if kind == "run":
        return run(space, name, *rest)
    if name not in space:
        raise NameError(f"`{name}` is not defined")
    return space[name](*rest[0], **rest[1]) if kind == "call" else space[name]


def failure(error):
    """The exception as plain values, even where its own methods raise."""
    try:
        text = str(error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else error)[:2000]
    except BaseException:
        text = ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<")]
    if isinstance(error, SyntaxError):
        lines.append(error.lineno or 0)
    return ["error", [kind.__name__ for kind in type(error).__mro__], text, lines[-1] if lines else 0]


def main():
    limited(json.loads(sys.argv[1]))
    reading, writing = the_pipe()
    main_process = os.getpid()
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    builtins.display = lambda *values, **options: None  # a notebook has it

    def read(size):
        data = bytearray()
        while len(data) < size:
            piece = os.read(reading, min(size - len(data), 1 << 20))
            if not piece:
                os._exit(0)
            data += piece
        return data

    number, reply = 0, ["done", "ready"]
    while True:
        try:
            data = wire.pack([number, *reply])
        except BaseException as error:
            data = wire.pack([number, *failure(error)])
        data = memoryview(data)
        while data:
            data = data[os.write(writing, data):]
        number, request = wire.unpack(read)
        try:
            reply = ["done", answer(vars(module), request)]
            if request[0] == "run":
                reply[1] = None
        except BaseException as error:
            reply = failure(error)
        if os.getpid() != main_process:
            os._exit(0)  # a child that a cell forked ends with that cell


main()
