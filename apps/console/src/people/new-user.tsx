import { PersonFields, personOf } from '../account/person-fields.tsx'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ChangeForm } from '../ui/change-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useToast } from '../ui/toasts.tsx'

/** Renders a dialog to create an account for another user, also where registration is disabled. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const toast = useToast()
  return (
    <Dialog title="New account" onClose={onClose}>
      <ChangeForm
        action="Make the account"
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
