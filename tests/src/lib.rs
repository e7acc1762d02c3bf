//! What the tests share: the kit. It holds no test of the house itself.
