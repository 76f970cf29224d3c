"""Reading what players write back: orders, requests and talk, as opposed to what is only quoted."""
