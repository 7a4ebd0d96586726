import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { OrganizationFields, organizationOf } from './organization-fields.tsx'

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
