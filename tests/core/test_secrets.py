"""Keys, whole or in the shape of one, are taken out of what is said."""

import pytest

from semiosis.core.secrets import redact, withhold


def test_the_very_key_is_replaced() -> None:
    assert redact("you sent hunter22", "hunter22") == "you sent [key]"
    assert withhold("you sent hunter22", "hunter22") == "you sent [key]"


def test_a_key_spelt_in_escapes_is_found_and_other_escapes_stay() -> None:
    spelt = "".join(f"\\u{ord(letter):04x}" for letter in "hunter22")
    assert withhold(f'{{"a": "{spelt}"}}', "hunter22") == '{"a": "[key]"}'
    assert withhold('{"a": "caf\\u00e9"}', "hunter22") == '{"a": "caf\\u00e9"}'


@pytest.mark.parametrize(
    "secret", ["sk-proj-abcdef123456", "Bearer abcdef", "AIzaSyA1234567890abcdefghijk", "hf_abcdefghij"]
)
def test_what_has_the_shape_of_a_key_is_replaced_in_errors(secret: str) -> None:
    assert redact(f"wrong: {secret}.").startswith("wrong: [key]")


def test_ordinary_words_stay() -> None:
    assert redact("the key to the picture is the skull", None, "") == "the key to the picture is the skull"
