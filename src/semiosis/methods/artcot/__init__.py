"""ArtCoT and the two prompts it is compared with (Jiang & Chen 2025): formal analysis in steps."""
