"""Programs, rules and teachers measured on instance sets, and commented on by teachers."""
