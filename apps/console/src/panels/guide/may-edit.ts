import type { BasicUser, User } from '@reticle/sdk'

/** Project or task that a guide belongs to. */
export interface GuideOwner {
  owner: BasicUser | null
  assignee: BasicUser | null
  organization: number | null
}

/** Returns whether to show the editor. In an organization the service decides by role when the guide is saved. */
export function mayEdit(
  self: Pick<User, 'id' | 'is_superuser'> | null | undefined,
  of: GuideOwner,
) {
  if (!self) return false
  const isStaff = of.owner?.id === self.id || of.assignee?.id === self.id
  return self.is_superuser || isStaff || of.organization !== null
}
