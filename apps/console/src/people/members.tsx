import type { Membership, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isAbove, type MemberStanding, rolesToGive } from '../api/roles.ts'
import { Choice, Search } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Empty } from '../ui/feedback.tsx'
import { useToast } from '../ui/toasts.tsx'
import { personName, Time } from '../ui/values.tsx'

const roles = ['owner', 'maintainer', 'supervisor', 'worker'] as const

interface Props {
  organization: Organization
  standing: MemberStanding
}

export function Members({ organization: { slug }, standing }: Props) {
  const { get } = useListState()
  const [leaving, setLeaving] = useState<Membership>()
  return (
    <>
      <div className="filters">
        <Search label="Search members" />
        <Choice name="role" label="Role" values={roles} />
      </div>
      <Listing
        name="Members"
        list={api.listMemberships}
        input={{
          org: slug,
          search: get('search'),
          role: roles.find((one) => one === get('role')),
        }}
        isScoped={false}
        columns={columnsFor(standing, setLeaving)}
        keyOf={({ id }) => id}
        empty={<Empty>No members match.</Empty>}
      />
      {leaving && <RemoveMember membership={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

const columnsFor = (
  standing: MemberStanding,
  onRemove: (membership: Membership) => void,
): RecordColumn<Membership>[] => [
  { title: 'Member', sort: 'user', cell: ({ user }) => personName(user) },
  {
    title: 'Role',
    sort: 'role',
    width: '7.6rem',
    cell: (membership) => <MemberRole membership={membership} standing={standing} />,
  },
  {
    title: 'Joined',
    isExtra: true,
    cell: ({ joined_date }) => (joined_date ? <Time value={joined_date} /> : 'invited'),
  },
  {
    title: 'Actions',
    width: '5.6rem',
    cell: (membership) =>
      isAbove(standing, membership.role) && (
        <button
          type="button"
          aria-label={`Remove ${membership.user.username}`}
          onClick={() => onRemove(membership)}
        >
          Remove
        </button>
      ),
  },
]

interface MemberRoleProps {
  membership: Membership
  standing: MemberStanding
}

/** Shows the role of a member; users with a higher role can change it. */
function MemberRole({ membership: { id, role, user }, standing }: MemberRoleProps) {
  const toast = useToast()
  const roles = rolesToGive(standing)
  const before = roles.find((one) => one === role)
  if (!before || !isAbove(standing, role)) return role
  const give = async (role: (typeof roles)[number]) => {
    await api.updateMembership({ id, body: { role } })
    await queries.invalidateQueries()
  }
  const change = (value: string) => {
    const after = roles.find((one) => one === value)
    if (!after) return
    give(after).then(
      () => toast({ text: `${user.username} is ${after} now.`, undo: () => give(before) }),
      (error: Error) => toast({ text: error.message }),
    )
  }
  return (
    <select
      aria-label={`Role of ${user.username}`}
      value={role}
      onChange={({ target }) => change(target.value)}
    >
      {roles.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

interface RemoveMemberProps {
  membership: Membership
  onClose: () => void
}

/**
 * Renders a dialog to remove a member from an organization, with an option to unassign their projects, tasks and
 * jobs.
 */
function RemoveMember({ membership: { id, user }, onClose }: RemoveMemberProps) {
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
      <p>Objects that the member created are kept. To return, the member must be invited again.</p>
      <label className="check">
        <input
          type="checkbox"
          checked={unassign}
          onChange={({ target }) => setUnassign(target.checked)}
        />
        Unassign the projects, tasks and jobs of the member as well
      </label>
    </Confirm>
  )
}
