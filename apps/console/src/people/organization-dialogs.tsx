import type { Membership, Organization } from '@reticle/sdk'
import { useId, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries, useAnswer } from '../api/queries.ts'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { ChangeForm, Field, formText, OptionField } from '../ui/form.tsx'
import { useToast } from '../ui/toasts.tsx'

interface DialogProps {
  organization: Organization
  onClose: () => void
}

/** Renders a dialog to create an organization; opens it afterwards. */
export function NewOrganization({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation()
  return (
    <Dialog title="New organization" onClose={onClose}>
      <ChangeForm
        action="Create the organization"
        onSend={async (form) => {
          const { id } = await api.createOrganization({ body: organizationOf(form) })
          void queries.invalidateQueries()
          go(`/people/organizations/${id}`)
        }}
        onDone={onClose}
      >
        <OrganizationFields />
      </ChangeForm>
    </Dialog>
  )
}

/**
 * Dialog to change the names and description of an organization. A selected workspace stays selected under its new
 * slug.
 */
export function EditOrganization({ organization: before, onClose }: DialogProps) {
  const toast = useToast()
  const { organization: chosen, choose } = useOrganization()
  const save = async (body: Pick<Organization, 'slug' | 'name' | 'description'>) => {
    const { slug } = await api.updateOrganization({ id: before.id, body })
    if (chosen === before.slug) choose(slug)
    await queries.invalidateQueries()
  }
  const { slug, name, description } = before
  return (
    <Dialog title={`Edit ${slug}`} onClose={onClose}>
      <ChangeForm
        action="Save"
        onSend={async (form) => {
          await save(organizationOf(form))
          toast({ text: 'Saved.', undo: () => save({ slug, name, description }) })
        }}
        onDone={onClose}
      >
        <OrganizationFields given={before} />
      </ChangeForm>
    </Dialog>
  )
}

/**
 * Renders a dialog to make another member the owner. Only the new owner can undo that, so the slug has to be typed
 * for confirmation.
 */
export function TransferOrganization({ organization: { id, slug, owner }, onClose }: DialogProps) {
  const [chosen, setChosen] = useState('')
  const { data } = useAnswer(api.listMemberships, { org: slug, page_size: 1000, sort: 'user' })
  const others = data?.results.filter(({ is_active, user }) => is_active && user.id !== owner?.id)
  if (others?.length === 0)
    return (
      <Dialog title={`Transfer ${slug}`} onClose={onClose}>
        <p>There is no other active member. Invite a user first.</p>
      </Dialog>
    )
  return (
    <Confirm
      title={`Transfer ${slug}`}
      word={slug}
      action="Transfer the organization"
      onConfirm={async () => {
        await api.transferOrganization({ id, body: { user_id: Number(chosen) } })
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>The owner becomes a maintainer. Only the new owner can transfer it back.</p>
      <OptionField
        label="New owner"
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
        required
        options={[
          ['', 'Choose a member'],
          ...(others ?? []).map(({ user }) => [String(user.id), user.username] as const),
        ]}
      />
    </Confirm>
  )
}

interface LeaveOrganizationProps extends DialogProps {
  membership: Membership
}

/** Renders a dialog to leave an organization. Only another invitation lets the user come back. */
export function LeaveOrganization({
  organization: { slug },
  membership,
  onClose,
}: LeaveOrganizationProps) {
  const [, go] = useLocation()
  const { organization: chosen, choose } = useOrganization()
  return (
    <Confirm
      title={`Leave ${slug}`}
      word={slug}
      action="Leave the organization"
      onConfirm={async () => {
        await api.deleteMembership({ id: membership.id })
        if (chosen === slug) choose(undefined)
        go('/people')
        await queries.invalidateQueries()
      }}
      onClose={onClose}
    >
      <p>You lose access to its projects and tasks, except for jobs that are assigned to you.</p>
    </Confirm>
  )
}

const fates = [
  ['keep', 'move to the personal workspaces of their owners'],
  ['delete', 'are deleted as well'],
] as const
type Fate = (typeof fates)[number][0]

/** Renders a dialog to delete an organization, with a choice of what happens to its projects and tasks. */
export function DeleteOrganization({ organization: { id, slug }, onClose }: DialogProps) {
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
      <p>Its memberships, invitations and webhooks are deleted as well. This cannot be undone.</p>
      <OptionField
        label="Its projects and tasks"
        options={fates}
        value={objects}
        onChange={({ target }) => setObjects(target.value === 'delete' ? 'delete' : 'keep')}
      />
    </Confirm>
  )
}

function OrganizationFields({ given }: { given?: Organization }) {
  const id = useId()
  return (
    <>
      <Field
        label="Short name"
        name="slug"
        defaultValue={given?.slug}
        maxLength={16}
        pattern="[A-Za-z0-9_\-]+"
        required
        autoFocus
        hint="Used in addresses and scripts: up to 16 letters, digits, - and _."
      />
      <Field label="Name" name="name" defaultValue={given?.name} maxLength={64} />
      <div className="field">
        <label htmlFor={id}>Description</label>
        <textarea id={id} name="description" rows={3} defaultValue={given?.description} />
      </div>
    </>
  )
}

const organizationOf = (form: FormData) => ({
  slug: formText(form, 'slug'),
  name: formText(form, 'name'),
  description: formText(form, 'description'),
})
