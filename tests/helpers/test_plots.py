"""Figures: graphs in layers with arrows that end at their boxes, and lines on logarithmic axes."""

import pytest

import d2l_helpers as d2l


def test_a_graph_is_drawn_in_layers():
    nodes = {name: name.upper() for name in "abcd"}
    figure = d2l.draw_graph(nodes, [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")])
    place = {text.get_text(): text.get_position() for text in figure.axes[0].texts if text.get_text()}
    assert place["A"][0] == place["D"][0] == 0 and place["B"][0] == 1 and place["C"][0] == 2


def test_lines_are_logarithmic():
    axes = d2l.plot_lines([1, 10], {"a": [1, 2], "b": [3, 4]}, xlabel="x", ylabel="y", level=2).axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log" and len(axes.get_lines()) == 3


def test_an_arrow_ends_at_its_box_and_bends_round_one_between():
    figure = d2l.draw_graph({"a": "A", "b": "a long name", "c": "C"}, [("a", "b"), ("b", "c"), ("a", "c")])
    arrows = [text.arrow_patch for text in figure.axes[0].texts if getattr(text, "arrow_patch", None)]
    boxes = [text.get_bbox_patch() for text in figure.axes[0].texts if text.get_text()]
    assert len(arrows) == 3
    assert all(arrow.patchA in boxes and arrow.patchB in boxes for arrow in arrows)
    assert all(arrow.shrinkA == arrow.shrinkB == 0 for arrow in arrows)
    bent = [arrow for arrow in arrows if arrow.get_connectionstyle().rad != 0]
    assert len(bent) == 1 and bent[0].patchA is boxes[0] and bent[0].patchB is boxes[2]


@pytest.mark.parametrize(
    "nodes, edges, words",
    [
        ({"a": "A", "b": "B"}, [("a", "b"), ("b", "a")], "cycle"),
        ({"a": "A"}, [("a", "z")], "z, which is no node"),
        ({}, [], "no nodes"),
    ],
)
def test_what_cannot_be_drawn_is_said(nodes, edges, words):
    with pytest.raises(ValueError, match=words):
        d2l.draw_graph(nodes, edges)


def test_a_figure_has_the_style_of_the_course():
    figure, axes = d2l.new_figure()
    assert figure.dpi == 144 and not axes.spines["top"].get_visible()
    (line,) = axes.plot([1, 2])
    assert line.get_color().upper() == d2l.COLOURS[0]
