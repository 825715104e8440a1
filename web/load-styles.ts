/**
 * The styles of the components are asked for in the head and take effect here: the frame, whose styles stand in the page
 * itself, is painted without them, and React draws when they are there. Where they cannot be had, it draws all the same.
 */
export async function loadStyles(): Promise<void> {
  const asked = document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]');
  await Promise.all(
    [...asked].map((link) => {
      const settled = new Promise((resolve) => {
        link.addEventListener("load", resolve, { once: true });
        link.addEventListener("error", resolve, { once: true });
      });
      link.rel = "stylesheet";
      return settled;
    }),
  );
}
