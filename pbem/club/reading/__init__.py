"""What players write back: orders, requests and talk, and what is only quoted."""
