"""How pictures are drawn; `stier.draw` is the way in."""
