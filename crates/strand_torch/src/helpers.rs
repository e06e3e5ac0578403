//! The only functions that the text may define beside the program's own, each where a construct
//! needs it.

/// Raises in an expression, where no statement can stand.
pub(crate) const FAIL: &str = r#"def _fail(message):
    raise ValueError(message)"#;

/// A check of values that also sees every element under torch.vmap.
pub(crate) const CHECK: &str = r#"class _Check(torch.autograd.Function):
    """Gives x back, and raises unless ok holds everywhere, under torch.vmap too."""

    @staticmethod
    def forward(x, ok, message):
        if not ok.all():
            raise ValueError(message)
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None, None

    @staticmethod
    def vmap(info, in_dims, x, ok, message):
        return _check(x, ok, message), in_dims[0]


def _check(x, ok, message):
    return _Check.apply(x, ok, message)"#;

/// NumPy's `reduceat` with a reduction of PyTorch. What lies outside a part is replaced by what
/// doesn't change the reduction, so that the shapes don't depend on the offsets.
pub(crate) const REDUCEAT: &str = r#"def _reduceat(reduction, x, offsets, outside, dim):
    """Reduces x from each offset up to the next, at least one element."""
    size = x.shape[dim]
    ends = torch.cat((offsets, offsets.new_full((1,), size)))[1:]
    ends = torch.maximum(ends, offsets + 1)[:, None]
    places = torch.arange(size)
    inside = (places >= offsets[:, None]) & (places < ends)
    parts = torch.where(inside, x.movedim(dim, -1).unsqueeze(-2), outside)
    return reduction(parts, dim=-1).movedim(-1, dim)"#;
