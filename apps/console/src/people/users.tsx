import type { MetaUser, UserPatch } from '@reticle/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { PersonFields, personOf } from '../account/person-fields.tsx'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Search } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/feedback.tsx'
import { ChangeForm } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { useToast } from '../ui/toasts.tsx'
import { personName, Time } from '../ui/values.tsx'
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
          aria-label="Account state"
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
        empty={<Empty reticle="reticle user list">No users match.</Empty>}
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
    title: 'Last sign-in',
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
        Objects that the user created are kept without an owner. The tokens and memberships of the
        user are deleted. To block the user temporarily, switch the account off instead.
      </p>
    </Confirm>
  )
}

/** Renders a dialog to create an account for another user, also where registration is disabled. */
function NewUser({ onClose }: { onClose: () => void }) {
  const toast = useToast()
  return (
    <Dialog title="New account" onClose={onClose}>
      <ChangeForm
        action="Create the account"
        onSend={async (form) => {
          const { username } = await api.register({ body: personOf(form) })
          void queries.invalidateQueries()
          toast({ text: `${username} can sign in with that password.` })
        }}
        onDone={onClose}
      >
        <PersonFields />
      </ChangeForm>
    </Dialog>
  )
}

/** Shows whether an account is enabled, with a way to change it. */
function UserActive({ user: { id, username, is_active = true } }: { user: MetaUser }) {
  const toast = useToast()
  const change = () =>
    changeUser(id, { is_active: !is_active }).then(
      () =>
        toast({
          text: `${username} is switched ${is_active ? 'off' : 'on'}.`,
          undo: () => changeUser(id, { is_active }),
        }),
      (error: Error) => toast({ text: error.message }),
    )
  return (
    <input
      type="checkbox"
      aria-label={`${username} is active`}
      checked={is_active}
      onChange={() => void change()}
    />
  )
}

const groups = ['admin', 'user', 'worker'] as const
const none = 'none'

/**
 * Shows the group of an account, with a way to change it. The group `admin` also sets two flags, and other groups
 * clear them.
 */
function UserGroup({ user: { id, username, groups: given = [] } }: { user: MetaUser }) {
  const toast = useToast()
  const before = groups.find((one) => given.includes(one))
  const move = (to: (typeof groups)[number] | undefined) =>
    changeUser(id, {
      groups: to ? [to] : [],
      is_staff: to === 'admin',
      is_superuser: to === 'admin',
    })
  const change = (to: (typeof groups)[number] | undefined) =>
    move(to).then(
      () => toast({ text: `${username} is ${to ?? 'in no group'} now.`, undo: () => move(before) }),
      (error: Error) => toast({ text: error.message }),
    )
  return (
    <select
      aria-label={`Group of ${username}`}
      value={before ?? none}
      onChange={({ target }) => void change(groups.find((one) => one === target.value))}
    >
      {[...groups, none].map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

/** Changes a user and refreshes the data on the page. */
async function changeUser(id: number, body: UserPatch): Promise<void> {
  await api.updateUser({ id, body })
  await queries.invalidateQueries()
}
