"""One benchmark, one module: load, items, summarise."""
