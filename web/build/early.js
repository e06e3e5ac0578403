// Before the first paint: the theme that was chosen, and whether another text than the opening program is to come.
(function () {
  var root = document.documentElement;
  function keys(storage) {
    return Object.keys(storage).filter(function (key) {
      return key.indexOf("strand:") === 0;
    });
  }
  try {
    if (location.hash !== "") root.dataset.own = "";
    if (/[?&]embedded\b/.test(location.search)) {
      root.dataset.own = "";
      return;
    }
    var theme = localStorage.getItem("strand:theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (localStorage.getItem("strand:coached") !== null) root.dataset.coached = "";
    var example = sessionStorage.getItem("strand:current-example");
    var drafts = keys(localStorage).some(function (key) {
      return key.indexOf("strand:draft:") === 0;
    });
    if (example === null ? drafts : example !== "scale-every-row") root.dataset.own = "";
  } catch {
    // Storage is refused: there is nothing of one's own.
  }
})();
