"""Another benchmark of the kind of MM-StyleBench, built in steps: one module a step, prompts/ beside them.

"Multimodal LLMs Can Reason about Aesthetics in Zero-Shot" (ArtCoT), section III and appendices A and C. The
authors publish the result and not how they made it: steps and prompts are written anew from their words.
"""
