import type { Membership, Organization } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { isAbove, type MemberStanding } from '../api/roles.ts'
import type { RecordColumn } from '../records/column.ts'
import { Choice, Search } from '../records/filters.tsx'
import { Listing } from '../records/listing.tsx'
import { useListState } from '../records/state.ts'
import { Empty } from '../ui/empty.tsx'
import { personName } from '../ui/person-name.ts'
import { Time } from '../ui/time.tsx'
import { MemberRole } from './member-role.tsx'
import { RemoveMember } from './remove-member.tsx'

const roles = ['owner', 'maintainer', 'supervisor', 'worker'] as const

interface Props {
  organization: Organization
  standing: MemberStanding
}

/** Lists the members of an organization with their roles. */
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
        empty={<Empty>Nobody here is called that.</Empty>}
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
