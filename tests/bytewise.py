"""A small byte-level tokenizer, trained on a few words: the same one in any environment."""

from typing import Any

import tokenizers
import transformers

from seeded import WORDS


def bytewise_tokenizer(room: int = 24, **tokens: str) -> Any:
    """A text between the start and the end token, if there is a start token."""
    named = {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "pad_token": "<pad>"} | tokens
    bytewise = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer, core.decoder = bytewise, tokenizers.decoders.ByteLevel()
    # The end token last: CLIP reads a text where its largest token is.
    special = [named["pad_token"], named["bos_token"], named["eos_token"]]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=special[:-1],
        initial_alphabet=sorted(bytewise.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(WORDS, trainer)
    core.add_special_tokens(special)
    start, end = named["bos_token"], named["eos_token"]
    core.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{start} $A {end}",
        special_tokens=[(each, core.token_to_id(each)) for each in (start, end)],
    )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=room, **named)
