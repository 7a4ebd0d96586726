"""Jobs of a task by their order."""


def first_job(task):
    return min(task.get_jobs(), key=lambda job: job.start_frame)


def last_job(task):
    return max(task.get_jobs(), key=lambda job: job.start_frame)
