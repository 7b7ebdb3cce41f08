//! The table of keys, held against the parser.
