import type { Organization } from '@reticle/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries } from '../api/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { OptionField } from '../ui/option-field.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

const fates = [
  ['keep', 'stay, and fall to their owners'],
  ['delete', 'are deleted with it'],
] as const
type Fate = (typeof fates)[number][0]

/** Renders a dialog to delete an organization, with a choice of what happens to its projects and tasks. */
export function DeleteOrganization({ organization: { id, slug }, onClose }: Props) {
  const [, go] = useLocation()
  const { organization: chosen, choose } = useOrganization()
  const [objects, setObjects] = useState<Fate>('keep')
  return (
    <Confirm
      title={`Delete ${slug}`}
      word={slug}
      action="Delete the organization"
      onConfirm={async () => {
        await api.deleteOrganization({ id, objects })
        if (chosen === slug) choose(undefined)
        go('/people')
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>Its members, invitations and webhooks go with it. This cannot be undone.</p>
      <OptionField
        label="Its projects and tasks"
        options={fates}
        value={objects}
        onChange={({ target }) => setObjects(target.value === 'delete' ? 'delete' : 'keep')}
      />
    </Confirm>
  )
}
