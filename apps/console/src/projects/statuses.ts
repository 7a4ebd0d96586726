/** How far a project is. */
export const statuses = ['annotation', 'validation', 'completed'] as const
