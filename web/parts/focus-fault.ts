/** After a form was refused: the first field that is wrong, once React has marked it. */
export function focusFault(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    form.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus();
  });
}
