//! Calls of the program's own functions, extern functions, methods and Python values.
