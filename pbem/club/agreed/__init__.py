"""How players say that they move, agree or object to something that all must agree to."""
