"""Draws images/frontends.svg: front ends in many languages, one graph, one back end with its kernels.

To draw it again: python images/frontends.py
"""
from svg import BLUE, ORANGE, VIOLET, WHITE, box, line, save, text

LANGUAGES = ("Python", "C++", "R", "Julia", "Scala", "…")
GRAPH = (352, 112)  # where the arrows meet: the middle of the graph's upper edge


def front_ends():
    for i, name in enumerate(LANGUAGES):
        x = 122 + 94 * i
        yield box(x, 30, 82, 34, name, BLUE)
        yield line((x + 41, 64), (GRAPH[0] + (x + 41 - GRAPH[0]) * 0.55, GRAPH[1]), kind="to")


def kernels():
    for i, name in enumerate(("CPU: C++, libraries", "GPU: CUDA, Triton", "others")):
        x = 122 + 192 * i
        yield line((x + 84, 232), (x + 84, 262), kind="to")
        yield box(x, 262, 168, 34, name, ORANGE)


if __name__ == "__main__":
    save(__file__, "Many front ends, one back end",
         "Above, front ends: Python, C++, R, Julia, Scala and others. Arrows lead from all of them to one graph of "
         "operations, inputs and parameters, which is also a file. Below, the back end, which simplifies, plans memory "
         "and chooses kernels, and the kernels for CPU, GPU and other devices.", 320,
         *front_ends(), box(122, 112, 460, 40, "graph: operations, inputs, parameters", WHITE),
         line((582, 132), (622, 132), kind="to"), text(652, 132, "a file", "strong"),
         line((352, 152), (352, 188), kind="to"),
         box(122, 188, 552, 44, "back end: simplify, plan memory, choose or write kernels", VIOLET), *kernels(),
         *(text(16, y, words, "start soft") for y, words in (
             (47, "you write"), (132, "it sees"), (210, "it works"), (279, "it runs"))))
