"""What is wrong with propositions is named, and what is right is asked in an order that respects their needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes import graphs
from semiosis.methods.dsg.propositions import MOST_PROPOSITIONS, Proposition, faults, waves


def proposition(id: str, *needs: str, says: str = "entity (thing)", question: str = "Is it?") -> Proposition:
    return Proposition(id, says, needs, question)


BIKE = (
    proposition("1", says="entity - whole (bike)", question="Is there a bike?"),
    proposition("2", says="entity - whole (pole)", question="Is there a pole?"),
    proposition("3", "1", says="attribute - color (bike, red)", question="Is the bike red?"),
    proposition("4", "1", "2", says="relation (bike, pole, at)", question="Is the bike at the pole?"),
)


def test_what_can_be_asked_has_no_fault() -> None:
    assert faults(BIKE) == ()


@pytest.mark.parametrize(
    ("propositions", "expected"),
    [
        ([], ["there is no proposition"]),
        (
            [proposition(str(n)) for n in range(MOST_PROPOSITIONS + 1)],
            ["there are 65 propositions; at most 64 can be asked"],
        ),
        (
            [proposition("1"), proposition("1"), proposition("1")],
            ["proposition 1 stands 3 times"],
        ),
        ([proposition("1", "1")], ["proposition 1 depends on itself"]),
        ([proposition("1", "9")], ["proposition 1 depends on 9, which there is not"]),
        (
            [proposition("1", "2"), proposition("2", "3"), proposition("3", "1"), proposition("4", "3")],
            ["propositions 1, 2 and 3 depend on one another in a circle"],
        ),
        (
            [
                proposition("1", "2"),
                proposition("2", "1"),
                proposition("3", "4", "1"),
                proposition("4", "3", "4"),
            ],
            [
                "proposition 4 depends on itself",
                "propositions 1 and 2 depend on one another in a circle",
                "propositions 3 and 4 depend on one another in a circle",
            ],
        ),
        (
            [proposition("1", question=" "), proposition("2", question="?!")],
            ["proposition 1 has no question", "proposition 2 has no question"],
        ),
        (
            [proposition("1"), proposition("1", "1")],
            ["proposition 1 stands 2 times", "proposition 1 depends on itself"],
        ),
    ],
)
def test_each_fault_is_named(propositions: list[Proposition], expected: list[str]) -> None:
    assert faults(propositions) == tuple(expected)


SHIFTED = [
    proposition("1", says="entity (dog)", question="Is there a cat?"),
    proposition("2", says="entity (cat)", question="Is there a bowl?"),
    proposition("3", says="entity (bowl)", question="Is the dog asleep?"),
    proposition("4", "1", says="attribute (dog, asleep)", question="Is there rain?"),
]


def test_questions_that_are_shifted_are_named_with_what_they_ask() -> None:
    assert faults(SHIFTED) == (
        "the questions are shifted against the propositions: that of 1 asks what 2 states; that of 2 asks what 3 "
        "states; that of 3 asks what 4 states",
    )


def test_one_question_in_other_words_is_no_shift() -> None:
    assert (
        faults([*BIKE[:3], proposition("4", says="attribute (bike, new)", question="Is the red bike shiny?")])
        == ()
    )


def test_what_depends_on_something_may_name_it_instead_of_its_own_words() -> None:
    propositions = [
        proposition("1", says="entity (squirrel's jacket)", question="Does the squirrel wear a jacket?"),
        proposition("2", says="entity (dog's collar)", question="Does the dog wear a collar?"),
        proposition(
            "3", "1", says="attribute (jacket, studded)", question="Has the squirrel's jacket metal knobs?"
        ),
        proposition("4", "2", says="attribute (collar, crimson)", question="Is the dog's collar dark red?"),
    ]
    assert faults(propositions) == ()


def test_what_names_more_of_its_own_words_than_another_has_is_no_shift() -> None:
    propositions = [
        proposition("1", says="entity (child)", question="Is there a child?"),
        proposition("2", says="entity (flower)", question="Is there a flower?"),
        proposition("3", says="relation (child, flower, draw)", question="Is the child drawing a flower?"),
        proposition("4", says="relation (flower, child, adorn)", question="Is a flower worn by the child?"),
    ]
    assert faults(propositions) == ()


def test_case_possessives_and_plurals_do_not_make_a_shift() -> None:
    propositions = [
        proposition("1", says="entity (Dogs)", question="Is there a dog?"),
        proposition("2", says="entity (dog's bowls)", question="Does the dog have a bowl?"),
        proposition("3", says="entity (Cats)", question="Are there CATS?"),
    ]
    assert faults(propositions) == ()


def test_propositions_in_a_script_without_spaces_are_not_called_shifted() -> None:
    propositions = [
        proposition("1", says="entity (金継ぎの碗)", question="金継ぎの碗がありますか"),
        proposition("2", says="entity (友人)", question="友人がいますか"),
    ]
    assert faults(propositions) == ()


@given(graphs())
def test_waves_hold_each_once_and_after_all_that_it_needs(propositions: tuple[Proposition, ...]) -> None:
    assert faults(propositions) == ()
    seen: set[str] = set()
    listed: list[Proposition] = []
    for wave in waves(propositions):
        assert wave
        assert all(set(each.needs) <= seen for each in wave)
        seen |= {each.id for each in wave}
        listed += wave
    assert sorted(each.id for each in listed) == sorted(each.id for each in propositions)


@given(graphs(), st.data())
def test_an_edge_back_is_a_circle_and_is_named(
    propositions: tuple[Proposition, ...], data: st.DataObject
) -> None:
    child = data.draw(st.sampled_from([each for each in propositions if each.needs] or [BIKE[2]]))
    parent = child.needs[0]
    held = propositions if child in propositions else BIKE
    bent = [
        Proposition(each.id, each.says, (*each.needs, child.id), each.question) if each.id == parent else each
        for each in held
    ]
    (fault,) = faults(bent)
    assert fault.endswith("depend on one another in a circle")
    assert {child.id, parent} <= set(fault.replace(",", " ").split())
