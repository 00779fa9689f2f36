"""Makes a tiny Qwen2.5-VL checkpoint with random weights: ``python tiny_vlm.py FOLDER``.

Its answers mean nothing. It lets lmms-eval's own model class run a task offline, through a real chat
template, a real image processor and a real generate.
"""

from __future__ import annotations

import sys

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor
from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
VISION_START, VISION_END, IMAGE, VIDEO = (
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
SPECIAL = [END, START, STOP, VISION_START, VISION_END, IMAGE, VIDEO]
CHAT_TEMPLATE = (
    "{% for message in messages %}" + START + "{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}"
    + VISION_START
    + IMAGE
    + VISION_END
    + "{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}{% endif %}" + STOP + "\n{% endfor %}"
    "{% if add_generation_prompt %}" + START + "assistant\n{% endif %}"
)


def make_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """A byte-level tokenizer: 256 bytes, the special tokens and next to no merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIAL, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(["which picture shows the answer"], trainer)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=END, eos_token=STOP, additional_special_tokens=SPECIAL
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def make_config(tokenizer: transformers.PreTrainedTokenizerFast) -> transformers.Qwen2_5_VLConfig:
    """Two layers of 32 units for the text, two of 16 for the pictures."""
    number = tokenizer.convert_tokens_to_ids
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 8192,
        "rope_scaling": {"type": "mrope", "rope_type": "default", "mrope_section": [2, 3, 3]},
        "bos_token_id": number(END),
        "eos_token_id": number(STOP),
        "pad_token_id": number(END),
    }
    vision = {
        "depth": 2,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_heads": 2,
        "out_hidden_size": 32,
        "fullatt_block_indexes": [1],
        "window_size": 56,
    }
    return transformers.Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=number(IMAGE),
        video_token_id=number(VIDEO),
        vision_start_token_id=number(VISION_START),
        vision_end_token_id=number(VISION_END),
    )


def main(folder: str) -> None:
    """Writes processor and model into the folder."""
    tokenizer = make_tokenizer()
    pixels = {"min_pixels": 28 * 28, "max_pixels": 112 * 112}
    processor = transformers.Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(**pixels),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(**pixels),
        chat_template=CHAT_TEMPLATE,
    )
    processor.save_pretrained(folder)
    torch.manual_seed(0)
    model = transformers.Qwen2_5_VLForConditionalGeneration(make_config(tokenizer))
    model.to(torch.bfloat16).save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
