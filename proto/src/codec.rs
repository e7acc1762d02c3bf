//! Frames and MessagePack with bounds. (Contract; bodies follow.)
