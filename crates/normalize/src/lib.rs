//! Layer 2: a wire reply becomes a canonical one; anything unknown is loud.
