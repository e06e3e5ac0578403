# Written by Strand 0.1.0 for PyTorch 2.2 or newer.

import torch

# What the file is about.

# The width of a row, with a comment that is so long that it doesn't fit into one line
# of Python
D = 3  # three


# Rows, summed one after the other.
def total(x):  # in order
    """fn total(x: [n D]) -> []"""
    sum_ = torch.tensor(0.0)
    count = 0  # of positive rows

    # every row
    for row in x:
        # only the positive ones
        if torch.sum(row) > 0.0:  # strictly
            sum_ = sum_ + torch.sum(row)
            count += 1
            # that was one
        elif torch.sum(row) < -1.0:
            # a very negative one
            count -= 1
        else:
            pass
    # the mean
    return sum_ / (count + 1)


def kept(x):
    """fn kept(x: [n D]) -> []"""
    # first
    # second
    # third
    t = torch.vmap(lambda row: torch.sum(row))(x)
    return torch.sum(t[t > 0.0])  # last


def main():
    # Before the script.
    x = torch.tensor([[1.0, 2.0, 3.0]])  # one row

    print(total(x))  # shown
    # The end.


if __name__ == "__main__":
    main()
