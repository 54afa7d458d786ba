"""What is filled in before something begins: runs, studies, measurements, labels, trainings."""
