"""Where vectors and words are kept and searched: FAISS for the one, tantivy for the other."""
