enum EmptyCellSVG {}
