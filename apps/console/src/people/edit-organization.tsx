import type { Organization } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { queries } from '../api/queries.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useToast } from '../ui/toasts.tsx'
import { OrganizationFields, organizationOf } from './organization-fields.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

/**
 * Dialog to change the names and description of an organization. A selected workspace stays selected under its new
 * slug.
 */
export function EditOrganization({ organization: before, onClose }: Props) {
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
