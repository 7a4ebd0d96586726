import type { AccessToken, AccessTokenCreate, AccessTokenCreated } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Search } from '../records/filters.tsx'
import { useListState } from '../records/list-state.ts'
import { Listing, type RecordColumn } from '../records/listing.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { curlOf, Empty } from '../ui/feedback.tsx'
import { ChangeForm, Field, formText, OptionField } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/values.tsx'
import { lastDay } from './expiry.ts'

/** Renders the page with the access tokens of the user, for programs. */
export function Tokens() {
  const { get } = useListState()
  const [isCreating, setIsCreating] = useState(false)
  const [leaving, setLeaving] = useState<AccessToken>()
  return (
    <Page
      title="Access tokens"
      actions={
        <button type="button" className="primary" onClick={() => setIsCreating(true)}>
          New token
        </button>
      }
    >
      <p className="hint">
        A program signs in with a token instead of your password and acts as you. A read-only token
        cannot change anything. A token that is not used for half a year expires.
      </p>
      <div className="filters">
        <Search label="Search tokens" />
      </div>
      <Listing
        name="Access tokens"
        list={api.listAccessTokens}
        input={{ search: get('search') }}
        isScoped={false}
        columns={columnsFor(setLeaving)}
        keyOf={({ id }) => id}
        empty={<NoToken />}
      />
      {isCreating && <NewToken onClose={() => setIsCreating(false)} />}
      {leaving && <RevokeToken token={leaving} onClose={() => setLeaving(undefined)} />}
    </Page>
  )
}

const NoToken = () => (
  <Empty
    reticle="reticle token create 'nightly export' --username $NAME"
    curl={curlOf(
      '/auth/access_tokens',
      `-H 'Content-Type: application/json' -d '{"name":"nightly export"}'`,
    ).replace('-H "Authorization: Token $SERVICE_ACCESS_TOKEN"', '-u "$NAME:$PASSWORD"')}
  >
    There is no token here. Create one for each program, so that you can revoke each separately.
  </Empty>
)

const columnsFor = (onRevoke: (token: AccessToken) => void): RecordColumn<AccessToken>[] => [
  { title: 'Name', sort: 'name', cell: ({ name }) => name },
  {
    title: 'Access',
    sort: 'read_only',
    width: '7rem',
    cell: ({ read_only }) => (read_only ? 'read' : 'read, write'),
  },
  {
    title: 'API',
    isExtra: true,
    width: '6rem',
    cell: ({ dialect }) => (dialect === 'cvat' ? 'CVAT' : dialect),
  },
  {
    title: 'Last day',
    sort: 'expiry_date',
    isExtra: true,
    cell: ({ expiry_date }) => lastDay(expiry_date) ?? 'none',
  },
  {
    title: 'Last used',
    sort: 'last_used_date',
    isExtra: true,
    cell: ({ last_used_date }) => (last_used_date ? <Time value={last_used_date} /> : 'never'),
  },
  {
    title: 'Actions',
    width: '6rem',
    cell: (token) => (
      <button type="button" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
        Revoke
      </button>
    ),
  },
]

function RevokeToken({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  return (
    <Confirm
      title={`Revoke ${token.name}`}
      word={token.name}
      action="Revoke the token"
      onConfirm={async () => {
        await api.deleteAccessToken({ id: token.id })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>Programs that use this token lose access immediately and permanently.</p>
    </Confirm>
  )
}

const dialects = [
  ['service', 'the API of this service'],
  ['cvat', 'the API of CVAT'],
] as const

/** Renders a dialog to create an access token; shows its value once. */
function NewToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<AccessTokenCreated>()
  if (made) return <CreatedToken token={made} onClose={onClose} />
  return (
    <Dialog title="New access token" onClose={onClose}>
      <ChangeForm
        action="Create the token"
        onSend={async (form) => {
          setMade(await api.createAccessToken({ body: tokenOf(form) }))
          void queries.invalidateQueries()
        }}
      >
        <Field
          label="Name"
          name="name"
          maxLength={50}
          required
          autoFocus
          hint="Name of the program that uses the token, such as nightly export."
        />
        <Field
          label="Last day"
          name="expiry_date"
          type="date"
          hint="Leave empty for a token without an expiry date."
        />
        <label className="check">
          <input type="checkbox" name="read_only" defaultChecked />
          Read-only: the token cannot change anything
        </label>
        <OptionField
          label="API"
          name="dialect"
          options={dialects}
          hint="Choose CVAT for programs that were written for CVAT."
        />
      </ChangeForm>
    </Dialog>
  )
}

function tokenOf(form: FormData): AccessTokenCreate {
  return {
    name: formText(form, 'name'),
    expiry_date: formText(form, 'expiry_date') || null,
    read_only: form.has('read_only'),
    dialect: formText(form, 'dialect') === 'cvat' ? 'cvat' : 'service',
  }
}

function CreatedToken({
  token: { name, value },
  onClose,
}: {
  token: AccessTokenCreated
  onClose: () => void
}) {
  return (
    <Dialog title={`The token ${name}`} onClose={onClose}>
      <p>
        <strong>The token is shown only once.</strong> Store it where only the program can read it.
      </p>
      <CopyField label="Token" value={value} />
      <pre>
        <code>{`export SERVICE_ACCESS_TOKEN=…\ncurl -H "Authorization: Token $SERVICE_ACCESS_TOKEN" ${location.origin}/api/users/self`}</code>
      </pre>
      <button type="button" className="primary" onClick={onClose}>
        Done
      </button>
    </Dialog>
  )
}
