/** Statuses of a project. */
export const statuses = ['annotation', 'validation', 'completed'] as const
