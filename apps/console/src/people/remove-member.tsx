import type { Membership } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'

interface Props {
  membership: Membership
  onClose: () => void
}

/**
 * Renders a dialog to remove a member from an organization, with an option to unassign their projects, tasks and
 * jobs.
 */
export function RemoveMember({ membership: { id, user }, onClose }: Props) {
  const [unassign, setUnassign] = useState(false)
  return (
    <Confirm
      title={`Remove ${user.username}`}
      word={user.username}
      action="Remove the member"
      onConfirm={async () => {
        await api.deleteMembership({ id, unassign })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>What they made stays. To come back they have to be invited again.</p>
      <label className="check">
        <input
          type="checkbox"
          checked={unassign}
          onChange={({ target }) => setUnassign(target.checked)}
        />
        Take their projects, tasks and jobs from them as well
      </label>
    </Confirm>
  )
}
