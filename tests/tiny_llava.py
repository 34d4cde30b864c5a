"""A LLaVA of random weights, saved as any model is, and asked as any model is."""

from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the transformers extra is not installed")
hugging: Any = pytest.importorskip("transformers", reason="the transformers extra is not installed")
tokenizers: Any = pytest.importorskip("tokenizers", reason="the transformers extra is not installed")

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {% for p in m['content'] %}"
    "{% if p['type'] == 'image' %}<image>{% else %}{{ p['text'] }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def save_tiny_llava(folder: Path) -> None:
    bytewise = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer, core.decoder = bytewise, tokenizers.decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<image>"]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=bytewise.alphabet(), show_progress=False
    )
    core.train_from_iterator(["sign object interpretant"], trainer)
    tokenizer = hugging.PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=special,
    )
    images = hugging.CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = hugging.LlavaProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = hugging.LlavaConfig(
        vision_config=hugging.CLIPVisionConfig(**small, image_size=28, patch_size=14, projection_dim=32),
        text_config=hugging.LlamaConfig(
            **small, vocab_size=len(tokenizer), pad_token_id=0, bos_token_id=1, eos_token_id=2
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    torch.manual_seed(0)
    model = hugging.LlavaForConditionalGeneration(config)
    # Louder than initialised, so that what is seen shows in what is said.
    for parameter in model.parameters():
        parameter.data.mul_(4)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
