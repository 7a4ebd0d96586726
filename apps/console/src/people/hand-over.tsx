import type { Organization } from '@reticle/sdk'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { queries, useAnswer } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { OptionField } from '../ui/option-field.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

/**
 * Renders a dialog to make another member the owner. Only the new owner can undo that, so the slug has to be typed
 * for confirmation.
 */
export function HandOver({ organization: { id, slug, owner }, onClose }: Props) {
  const [chosen, setChosen] = useState('')
  const { data } = useAnswer(api.listMemberships, { org: slug, page_size: 1000, sort: 'user' })
  const others = data?.results.filter(({ is_active, user }) => is_active && user.id !== owner?.id)
  if (others?.length === 0)
    return (
      <Dialog title={`Hand ${slug} over`} onClose={onClose}>
        <p>There is nobody to hand it over to: invite somebody first.</p>
      </Dialog>
    )
  return (
    <Confirm
      title={`Hand ${slug} over`}
      word={slug}
      action="Hand it over"
      onConfirm={async () => {
        await api.transferOrganization({ id, body: { user_id: Number(chosen) } })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>The owner becomes a maintainer. Only the new owner can hand it back.</p>
      <OptionField
        label="New owner"
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
        required
        options={[
          ['', 'Choose somebody'],
          ...(others ?? []).map(({ user }) => [String(user.id), user.username] as const),
        ]}
      />
    </Confirm>
  )
}
