import type { AccessToken } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import type { RecordColumn } from '../records/column.ts'
import { Search } from '../records/filters.tsx'
import { Listing } from '../records/listing.tsx'
import { useListState } from '../records/state.ts'
import { Confirm } from '../ui/confirm.tsx'
import { curlOf, Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { lastDay } from './expiry.ts'
import { NewToken } from './new-token.tsx'

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
        A program signs in with a token instead of your password, and is you. What is read only
        changes nothing; one that is not used for half a year ends.
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
      {leaving && <Revoke token={leaving} onClose={() => setLeaving(undefined)} />}
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
    There is no token here. Make one for each program, so that each can be shut out alone.
  </Empty>
)

const columnsFor = (onRevoke: (token: AccessToken) => void): RecordColumn<AccessToken>[] => [
  { title: 'Name', sort: 'name', cell: ({ name }) => name },
  {
    title: 'May',
    sort: 'read_only',
    width: '7rem',
    cell: ({ read_only }) => (read_only ? 'read' : 'read, write'),
  },
  {
    title: 'Speaks',
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

function Revoke({ token, onClose }: { token: AccessToken; onClose: () => void }) {
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
      <p>Whatever signs in with it is shut out at once, for good.</p>
    </Confirm>
  )
}
