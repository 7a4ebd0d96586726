import type { MetaUser } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import type { RecordColumn } from '../records/column.ts'
import { Search } from '../records/filters.tsx'
import { Listing } from '../records/listing.tsx'
import { useListState } from '../records/state.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { personName } from '../ui/person-name.ts'
import { Time } from '../ui/time.tsx'
import { NewUser } from './new-user.tsx'
import { UserActive } from './user-active.tsx'
import { UserGroup } from './user-group.tsx'
import './people.css'

/** Renders the page with all accounts for administrators; other users see only themselves. */
export function Users() {
  const { get, set } = useListState()
  const [leaving, setLeaving] = useState<MetaUser>()
  const [isAdding, setIsAdding] = useState(false)
  const active = get('active')
  return (
    <Page
      title="Users"
      above={<Link href="/people">People</Link>}
      actions={
        <button type="button" className="primary" onClick={() => setIsAdding(true)}>
          New account
        </button>
      }
    >
      <div className="filters">
        <Search label="Search users" />
        <select
          aria-label="Active or not"
          value={active ?? ''}
          onChange={({ target }) => set({ active: target.value })}
        >
          <option value="">Active: any</option>
          <option value="true">active</option>
          <option value="false">switched off</option>
        </select>
      </div>
      <Listing
        name="Users"
        list={api.listUsers}
        input={{ search: get('search'), ...(active && { is_active: active === 'true' }) }}
        isScoped={false}
        columns={columnsFor(setLeaving)}
        keyOf={({ id }) => id}
        empty={<Empty reticle="reticle user list">Nobody is called that.</Empty>}
      />
      {isAdding && <NewUser onClose={() => setIsAdding(false)} />}
      {leaving && <DeleteUser user={leaving} onClose={() => setLeaving(undefined)} />}
    </Page>
  )
}

const columnsFor = (onDelete: (user: MetaUser) => void): RecordColumn<MetaUser>[] => [
  { title: 'User', sort: 'username', cell: personName },
  { title: 'E-mail', isExtra: true, cell: ({ email }) => email || '–' },
  { title: 'Group', width: '6.5rem', cell: (user) => <UserGroup user={user} /> },
  { title: 'Active', width: '4rem', cell: (user) => <UserActive user={user} /> },
  {
    title: 'Last here',
    isExtra: true,
    cell: ({ last_login }) => <Time value={last_login} />,
  },
  {
    title: 'Actions',
    width: '5.5rem',
    isExtra: true,
    cell: (user) => (
      <button type="button" aria-label={`Delete ${user.username}`} onClick={() => onDelete(user)}>
        Delete
      </button>
    ),
  },
]

function DeleteUser({ user, onClose }: { user: MetaUser; onClose: () => void }) {
  return (
    <Confirm
      title={`Delete ${user.username}`}
      word={user.username}
      action="Delete the account"
      onConfirm={async () => {
        await api.deleteUser({ id: user.id })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>
        What they made stays, without an owner. Their tokens and memberships go. To keep somebody
        out for a while, switch the account off instead.
      </p>
    </Confirm>
  )
}
