"""`trisweep report`: run records as one page that explains them."""
