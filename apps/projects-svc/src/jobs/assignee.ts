import { invalid } from '@reticle/kit/call/errors'

interface AssigneeFields {
  assignee?: number | null
  assignee_id?: number | null
}

/**
 * Returns the assignee of a body; `assignee` and `assignee_id` mean the same.
 *
 * @returns the id and the key that contained it
 * @throws DomainError invalid when they differ
 */
export function readAssignee({ assignee, assignee_id }: AssigneeFields) {
  if (assignee === undefined) return { field: 'assignee_id', id: assignee_id }
  if (assignee_id !== undefined && assignee !== assignee_id)
    throw invalid({ assignee_id: 'assignee and assignee_id name different users.' })
  return { field: 'assignee', id: assignee }
}
